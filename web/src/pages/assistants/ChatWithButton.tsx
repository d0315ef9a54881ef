import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MessagesSquare } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { Button, type ButtonProps } from '../../components/Button.tsx';
import { useToast } from '../../components/Toasts.tsx';

/** Starts a conversation with an assistant and opens it. */
export function ChatWithButton({
  assistant,
  children,
  ...props
}: Pick<ButtonProps, 'look' | 'disabled' | 'title' | 'size'> & {
  readonly assistant: string;
  readonly children: ReactNode;
}) {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const toast = useToast();
  const starting = useMutation({
    mutationFn: () => api.createConversation({ body: { assistantId: assistant } }),
    onSuccess({ id }) {
      void client.invalidateQueries({ queryKey: ['conversations'] });
      navigate(`/chat/${id}`);
    },
    onError: toast.error,
  });
  return (
    <Button {...props} busy={starting.isPending} onClick={() => starting.mutate()}>
      <MessagesSquare aria-hidden />
      {children}
    </Button>
  );
}
