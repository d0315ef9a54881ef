import { hasRawNumbers } from '../../../contract/exact-json.ts';

/** The command that makes this call; `program` runs the command line. */
export function toCliCommand(tool: string, args: Readonly<Record<string, unknown>>, program = 'toolwharf'): string {
  const base = `${program} call ${shellQuote(tool)}`;
  return Object.keys(args).length === 0 ? base : `${base} --args ${shellQuote(JSON.stringify(args))}`;
}

/** The curl command that makes this call, with the key from the environment. */
export function toCurlCommand(origin: string, tool: string, args: Readonly<Record<string, unknown>>): string {
  const url = `${origin}/api/tools/${encodeURIComponent(tool)}/call`;
  return [
    `curl -s ${shellQuote(url)}`,
    '-H "authorization: Bearer $TOOLWHARF_API_KEY"',
    "-H 'content-type: application/json'",
    `-d ${shellQuote(JSON.stringify({ arguments: args }))}`,
  ].join(' \\\n  ');
}

/** Quotes a string as one word of a POSIX shell. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A TypeScript program that makes this call over HTTP. */
export function toTypeScript(origin: string, tool: string, args: Readonly<Record<string, unknown>>): string {
  const url = `${origin}/api/tools/${encodeURIComponent(tool)}/call`;
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.TOOLWHARF_API_KEY ?? ''}\`,
    'content-type': 'application/json',
  },
  body: ${toBody(args)},
});
const result = await response.json();
console.log(response.ok ? result.text : result.error.message);
`;
}

/** The body as an object, or as a text if it has numbers that JavaScript would round. */
function toBody(args: Readonly<Record<string, unknown>>): string {
  if (hasRawNumbers(args)) return JSON.stringify(JSON.stringify({ arguments: args }));
  return `JSON.stringify({ arguments: ${JSON.stringify(args, null, 2).replaceAll('\n', '\n  ')} })`;
}

/** A Python program that makes this call over HTTP, with the standard library alone. */
export function toPython(origin: string, tool: string, args: Readonly<Record<string, unknown>>): string {
  const url = `${origin}/api/tools/${encodeURIComponent(tool)}/call`;
  return `import json
import os
import urllib.error
import urllib.request

arguments = json.loads(${JSON.stringify(JSON.stringify(args))})
request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=json.dumps({"arguments": arguments}).encode(),
    headers={
        "authorization": f"Bearer {os.environ.get('TOOLWHARF_API_KEY', '')}",
        "content-type": "application/json",
    },
)
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response)["text"])
except urllib.error.HTTPError as error:
    print(json.load(error)["error"]["message"])
`;
}
