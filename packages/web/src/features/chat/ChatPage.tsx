import { PanelLeft } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useParams } from 'wouter';
import { IconButton } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ConversationList } from './ConversationList.tsx';
import { ConversationView } from './ConversationView.tsx';
import { NewConversation } from './NewConversation.tsx';

/** The list of conversations and the open one. */
export default function ChatPage() {
  const { conversation } = useParams<{ readonly conversation?: string }>();
  const [listOpen, setListOpen] = useState(false);
  useEffect(() => {
    if (conversation === undefined) document.title = `Chat · Toolwharf`;
  }, [conversation]);

  const listButton = <IconButton label="Conversations" onClick={() => setListOpen(true)} icon={PanelLeft} />;
  // The messages scroll, the page does not.
  return (
    <div className="relative min-h-112 flex-1">
      <div className="absolute inset-0 flex">
        <div className="hidden w-64 shrink-0 border-r border-line bg-surface p-3 lg:block">
          <ConversationList current={conversation} />
        </div>
        <div className="flex min-w-0 flex-1 flex-col">
          {conversation === undefined ? (
            <>
              <div className="flex min-h-12 items-center gap-2 border-b border-line px-3 font-semibold lg:hidden">
                {listButton}
                New conversation
              </div>
              <NewConversation />
            </>
          ) : (
            <ConversationView key={conversation} id={conversation} listButton={listButton} />
          )}
        </div>
      </div>
      <Dialog open={listOpen} onClose={() => setListOpen(false)} shape="side" title="Conversations">
        <div className="h-full">
          <ConversationList current={conversation} onNavigate={() => setListOpen(false)} />
        </div>
      </Dialog>
    </div>
  );
}
