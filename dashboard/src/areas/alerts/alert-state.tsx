import { serverNowMs } from '../../lib/clock.ts'
import { Badge, type Tone } from '../../ui/status.tsx'
import type { Alert } from './queries.ts'

type Status = Alert['state']['status']

const looks: Record<Status, { tone: Tone; word: string }> = {
	ok: { tone: 'ok', word: 'ok' },
	firing: { tone: 'bad', word: 'firing' },
	no_data: { tone: 'idle', word: 'no data' },
	unknown: { tone: 'warn', word: 'unknown' },
}

export function StateBadge({ status }: { status: Status }) {
	return <Badge tone={looks[status].tone}>{looks[status].word}</Badge>
}

/** The state of an alert; off or muted takes precedence over its last evaluation. */
export function AlertState({ alert }: { alert: Alert }) {
	if (!alert.enabled)
		return (
			<Badge tone="idle" icon="pause">
				off
			</Badge>
		)
	return (
		<span className="inline-flex flex-wrap gap-1">
			<StateBadge status={alert.state.status} />
			{isMuted(alert) && (
				<Badge tone="warn" icon="pause">
					muted
				</Badge>
			)}
		</span>
	)
}

export function isMuted({ muted_until }: Alert): boolean {
	return muted_until !== null && Date.parse(muted_until) > serverNowMs()
}
