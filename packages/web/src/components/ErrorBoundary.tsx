import { Component, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { messageOf, Notice } from './ErrorNotice.tsx';

interface State {
  readonly error?: unknown;
}

/** Contains a rendering error, so that the rest of the app keeps working. */
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
          title="This part of the page failed"
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
