import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type ImportedServer } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { TextAreaField } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { describeSecrets, describeTarget, transportLabels } from './server-labels.ts';

export interface PasteFieldProps {
  readonly onServer: (server: ImportedServer) => void;
  /** Receives text with several servers. */
  readonly onServers: ((text: string) => void) | undefined;
}

/** Reads whatever people copy from the page of a server, and shows what was understood. */
export function PasteField({ onServer, onServers }: PasteFieldProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const reading = useMutation({
    mutationFn: (pasted: string) => api.importServers({ body: { text: pasted } }),
    onSuccess({ servers }, pasted) {
      const [server] = servers;
      if (servers.length > 1) onServers?.(pasted);
      else if (server) onServer(server);
    },
  });
  const { servers: [server] = [], problems = [] } = reading.data ?? {};
  const secrets = server ? describeSecrets(server) : '';
  return (
    <div className="flex flex-col gap-2 rounded-lg bg-sunken p-3">
      <TextAreaField
        label="Paste from a README"
        hint="A command, a URL, a link or JSON. It fills in the form below; nothing is saved yet."
        mono
        rows={2}
        placeholder="npx -y @modelcontextprotocol/server-everything"
        ref={field}
        value={text}
        onChange={(content) => {
          setText(content);
          reading.reset();
        }}
        onPaste={(event) => {
          if (text !== '') return;
          event.preventDefault();
          const pasted = event.clipboardData.getData('text');
          setText(pasted);
          if (pasted.trim() !== '') reading.mutate(pasted);
        }}
      />
      {text.trim() !== '' && !reading.data && (
        <div>
          <Button size="small" busy={reading.isPending} onClick={() => reading.mutate(text)}>
            Fill in the form
          </Button>
        </div>
      )}
      {reading.isError && <ErrorNotice title="Could not read the text" error={reading.error} />}
      {server && (
        <p role="status" className="text-xs">
          Understood: {transportLabels[server.transport]}{' '}
          <code className="break-all">{safeText(describeTarget(server), 500)}</code>
          {secrets !== '' && `, ${secrets}`}
        </p>
      )}
      {problems.length > 0 && (
        <Notice tone="warn" title={server ? undefined : 'No server found'}>
          {problems.slice(0, 10).map(({ message }) => (
            <p key={message}>{safeText(message, 500)}</p>
          ))}
        </Notice>
      )}
    </div>
  );
}
