import type { IconName } from '../../ui/icons.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import type { ApprovalStatus } from './approval-search.ts'

const looks: Record<ApprovalStatus, { tone: Tone; icon: IconName; word: string }> = {
	pending: { tone: 'warn', icon: 'pause', word: 'waiting' },
	approved: { tone: 'ok', icon: 'check', word: 'approved' },
	used: { tone: 'ok', icon: 'play', word: 'executed' },
	denied: { tone: 'bad', icon: 'block', word: 'denied' },
	expired: { tone: 'idle', icon: 'dot', word: 'expired' },
	revoked: { tone: 'idle', icon: 'stop', word: 'revoked' },
}

export const approvalWord = (status: ApprovalStatus) => looks[status].word

/** The state of an approval. */
export function ApprovalStatusBadge({ status }: { status: ApprovalStatus }) {
	const { tone, icon, word } = looks[status]
	return (
		<Badge tone={tone} icon={icon}>
			{word}
		</Badge>
	)
}
