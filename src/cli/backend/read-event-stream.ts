/** One server-sent event. */
export interface SentEvent {
  readonly name: string;
  readonly data: string;
}

/** The events of a body, each as soon as it is complete. What is cut off at the end is no event. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent> {
  let rest = '';
  let name = '';
  let data: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { name: name || 'message', data: data.join('\n') };
        name = '';
        data = [];
        continue;
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (field === 'event') name = value;
      else if (field === 'data') data.push(value);
    }
  }
}
