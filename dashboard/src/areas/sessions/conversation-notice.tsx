import { Notice } from '../../ui/notice.tsx'
import type { Session } from './queries.ts'

const texts: Partial<Record<Session['conversation'], string>> = {
	not_allowed: 'You can see the figures, not the messages. Ask an admin of the workspace.',
	not_recorded: 'No message content captured',
	not_shared: 'This link does not include messages.',
}

/** Why there are no messages, where there are none. */
export function ConversationNotice({ state }: { state: Session['conversation'] }) {
	const text = texts[state]
	return text ? (
		<Notice tone="idle" className="mb-4">
			{text}
		</Notice>
	) : null
}
