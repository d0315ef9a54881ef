import { isObject, type JsonObject } from '../../../contract/json.ts';
import { isRawNumber } from '../../kernel/exact-json.ts';
import type { ApiBody, ApiParameter, ApiTool } from './api-tool.ts';
import { hasDotSegment } from './dot-segments.ts';
import { isForm, isJson } from './read-openapi.ts';

/** Thrown for an argument that cannot be sent; the message is for the model. */
export class BadArgument extends Error {}

export interface ApiRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Builds the request of a call. Its URL is always below `base`, whatever the arguments are. */
export function buildRequest(tool: ApiTool, args: JsonObject, base: URL): ApiRequest {
  const given = tool.parameters.filter(({ argument }) => args[argument] !== undefined && args[argument] !== null);
  const givenIn = (location: ApiParameter['in']) => given.filter((parameter) => parameter.in === location);
  const path = tool.path.replaceAll(/\{([^{}]+)\}/g, (whole, name) => {
    const parameter = tool.parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter ? pathSegment(parameter, args[parameter.argument]) : whole;
  });
  const url = new URL(base);
  const root = base.pathname.replace(/\/+$/, '');
  url.pathname = `${root}${path}`;
  // URL parsers and servers resolve dot segments: the request must not reach what lies beside the API.
  if (hasDotSegment(path) || (url.pathname !== root && !url.pathname.startsWith(`${root}/`)))
    throw new BadArgument(`The path ${tool.path} leaves the URL of the API`);
  const query = givenIn('query').flatMap((parameter) => queryParts(parameter, args[parameter.argument]));
  url.search = [base.search.slice(1), ...query].filter((part) => part !== '').join('&');
  const headers: Record<string, string> = { accept: 'application/json, text/*;q=0.9, */*;q=0.8' };
  for (const parameter of givenIn('header'))
    headers[parameter.name.toLowerCase()] = headerValue(parameter, args[parameter.argument]);
  const cookies = givenIn('cookie').map(
    (parameter) => `${parameter.name}=${encodeURIComponent(toText(parameter, args[parameter.argument]))}`,
  );
  if (cookies.length > 0) headers.cookie = cookies.join('; ');
  const body = tool.body && bodyText(tool, tool.body, args);
  if (body !== undefined && tool.body) headers['content-type'] = tool.body.type;
  return { url, method: tool.method, headers, body };
}

function pathSegment(parameter: ApiParameter, value: unknown): string {
  const text = value === undefined || value === null ? '' : toText(parameter, value);
  if (text === '') throw new BadArgument(`Argument '${parameter.argument}' must not be empty: it is part of the URL`);
  // Some servers decode an encoded slash before they resolve dot segments.
  if (hasDotSegment(text))
    throw new BadArgument(`Argument '${parameter.argument}' must not contain '.' or '..' as a path segment`);
  return encodeURIComponent(text);
}

function queryParts(parameter: ApiParameter, value: unknown): string[] {
  const { name, style, explode } = parameter;
  const pair = (key: string, text: string) => `${encodeURIComponent(key)}=${text}`;
  const encoded = (item: unknown) => encodeURIComponent(plain(item));
  if (style === 'json') return [pair(name, encodeURIComponent(JSON.stringify(value)))];
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => pair(name, encoded(item)));
    return value.length === 0 ? [] : [pair(name, value.map(encoded).join(separators[style] ?? ','))];
  }
  if (!isObject(value) || isRawNumber(value)) return [pair(name, encoded(value))];
  const entries = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  if (style === 'deepObject')
    return entries.flatMap(([key, member]) =>
      (Array.isArray(member) ? member : [member]).map((item) => pair(`${name}[${key}]`, encoded(item))),
    );
  if (explode) return entries.map(([key, member]) => pair(key, encoded(member)));
  return [pair(name, entries.flatMap(([key, member]) => [encodeURIComponent(key), encoded(member)]).join(','))];
}

const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

function headerValue(parameter: ApiParameter, value: unknown): string {
  const text = toText(parameter, value);
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
    throw new BadArgument(`Argument '${parameter.argument}' contains characters that are not allowed in headers`);
  return text;
}

/** A value as one string, for paths, headers and cookies. */
function toText({ style, explode }: ApiParameter, value: unknown): string {
  if (style === 'json') return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(plain).join(',');
  if (!isObject(value) || isRawNumber(value)) return plain(value);
  return Object.entries(value)
    .map(([key, member]) => `${key}${explode ? '=' : ','}${plain(member)}`)
    .join(',');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function bodyText(tool: ApiTool, { argument, type }: ApiBody, args: JsonObject): string | undefined {
  const value = argument === undefined ? remainingArguments(tool, args) : args[argument];
  if (value === undefined) return undefined;
  if (isJson(type)) return JSON.stringify(value);
  if (isForm(type) && isObject(value) && !isRawNumber(value)) {
    const entries = Object.entries(value).flatMap(([key, member]) =>
      (Array.isArray(member) ? member : [member]).map((item) => [key, plain(item)] as [string, string]),
    );
    return new URLSearchParams(entries).toString();
  }
  return plain(value);
}

function remainingArguments({ parameters }: ApiTool, args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).filter(([argument]) => !parameters.some((one) => one.argument === argument)),
  );
}
