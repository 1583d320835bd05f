import type { Figure } from '../../platform/health/index.ts'
import type { BoundOperation } from '../../platform/http/index.ts'
import type { ForwardCounts, ForwarderContext } from './context.ts'
import { handleForwarders } from './forward.ts'
import { forwarderRoutes } from './routes.ts'

/** Telemetry and audit records, sent to other systems as they are stored. */
export function openForwarders(given: Omit<ForwarderContext, 'counts'>): {
	operations: BoundOperation[]
	figures: Figure[]
} {
	const counts: ForwardCounts = { sent: 0, refused: 0, failed: 0, lag: new Map() }
	const context = { ...given, counts }
	handleForwarders(context)
	return { operations: forwarderRoutes(context), figures: figuresOf(context) }
}

const longAgoMs = 5 * 60 * 1000

function figuresOf({ counts, clock }: Pick<ForwarderContext, 'counts' | 'clock'>): Figure[] {
	const seen = () => [...counts.lag.values()].filter(({ atMs }) => atMs > clock.nowMs() - longAgoMs)
	return [
		{
			name: 'signalbox_forwarders_sent',
			help: 'Rows and audit records that receivers have taken from this process since the start',
			read: () => counts.sent,
		},
		{
			name: 'signalbox_forwarders_refused',
			help: 'Rows and audit records that receivers have refused for good since the start',
			read: () => counts.refused,
		},
		{
			name: 'signalbox_forwarders_failed',
			help: 'Requests to receivers that are made again, since the start',
			read: () => counts.failed,
		},
		{
			name: 'signalbox_forwarders_lag_seconds_max',
			help: 'How far the forwarder that is furthest behind was when this process looked last',
			read: () => Math.max(0, ...seen().map(({ seconds }) => seconds)),
		},
	]
}
