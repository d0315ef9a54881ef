import { Component, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { messageOf, Notice } from './ErrorNotice.tsx';

interface State {
  readonly error?: unknown;
}

/** Keeps a failure where it happened: the rest of the app goes on. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="p-6">
        <Notice
          tone="bad"
          title="This could not be shown"
          actions={
            <Button size="small" onClick={() => this.setState({ error: undefined })}>
              Try again
            </Button>
          }
        >
          {messageOf(this.state.error)}
        </Notice>
      </div>
    );
  }
}
