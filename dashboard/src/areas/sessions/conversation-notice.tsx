import { Notice } from '../../ui/notice.tsx'
import type { Session } from './queries.ts'

const texts: Partial<Record<Session['conversation'], string>> = {
	not_allowed: 'You may see the figures, not what was said. An admin of the workspace can help.',
	not_recorded: 'No message content captured',
	not_shared: 'What was said is not part of this link.',
}

/** Why there are no messages, where there are none. */
export function ConversationNotice({ state }: { state: Session['conversation'] }) {
	const text = texts[state]
	return text ? (
		<Notice tone="idle" className="m-3">
			{text}
		</Notice>
	) : null
}
