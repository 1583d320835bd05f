import { formatCompact, formatCount, formatCounted, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { allTokens } from '../spotlight/figures.tsx'
import type { Session } from './queries.ts'

type Figures = Pick<
	Session,
	| 'started_at'
	| 'ended_at'
	| 'model_calls'
	| 'tool_calls'
	| 'errors'
	| 'tokens'
	| 'cost_nano_usd'
	| 'unpriced_calls'
>

/** The figures of the whole session on one line. */
export function SessionSummary({ session }: { session: Figures }) {
	const lengthMs = Date.parse(session.ended_at) - Date.parse(session.started_at)
	const figures = [
		formatMs(lengthMs),
		formatCounted(session.model_calls, 'model call'),
		formatCounted(session.tool_calls, 'tool call'),
		session.errors > 0 && formatCounted(session.errors, 'error'),
		session.model_calls > 0 && formatCounted(allTokens(session), 'token', formatCompact),
		session.model_calls > 0 && costOf(session),
	]
	return (
		<span className="flex flex-wrap gap-x-3 gap-y-1 tabular-nums">
			{figures.filter(Boolean).map((text) => (
				<span key={String(text)}>{text}</span>
			))}
		</span>
	)
}

/** Unknown, not zero, if no call has a price. */
function costOf({ cost_nano_usd, unpriced_calls }: Figures): string {
	if (unpriced_calls === 0) return formatNanoUsd(cost_nano_usd)
	const rest = `${formatCount(unpriced_calls)} unpriced`
	return cost_nano_usd === '0' ? rest : `${formatNanoUsd(cost_nano_usd)} + ${rest}`
}

const texts: Partial<Record<Session['conversation'], string>> = {
	not_allowed: 'You can see the figures, not the messages. Ask an admin of the workspace.',
	not_recorded: 'No message content captured',
	not_shared: 'This link does not include messages.',
}

/** Why there are no messages, if there are none. */
export function ConversationNotice({ state }: { state: Session['conversation'] }) {
	const text = texts[state]
	return text ? (
		<Notice tone="idle" className="mb-4">
			{text}
		</Notice>
	) : null
}
