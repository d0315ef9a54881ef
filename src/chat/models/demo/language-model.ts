import type { LanguageModel } from 'ai';

/** The AI SDK's interface to a model, in its current version. */
export type LanguageModelV4 = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;

export type ModelRequest = Parameters<LanguageModelV4['doStream']>[0];

export type StreamPart =
  Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
