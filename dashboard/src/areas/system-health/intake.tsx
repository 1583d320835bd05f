import type { Schemas } from '../../api.ts'
import { formatCount, formatCounted, formatMs } from '../../lib/format.ts'
import { Facts, Panel } from '../../ui/page.tsx'

type State = Schemas['RecorderState']

const items = { traces: 'spans', metrics: 'data points', logs: 'log records' } as const
const signals = ['traces', 'metrics', 'logs'] as const

/** What became of the telemetry received since the program started, and why some of it was not stored. */
export function Intake({ state }: { state: State }) {
	return (
		<Panel title="Received telemetry">
			<Facts
				facts={[
					['Accepted', counted(state.accepted)],
					['Sent again, and not stored twice', counted(state.repeated)],
					...state.dropped.map(
						({ signal, reason, items: count }) =>
							[`Dropped ${items[signal]}: ${reason}`, formatCount(count)] as const,
					),
					...state.refused.map(
						({ reason, requests }) =>
							[`Refused: ${reason.replaceAll('_', ' ')}`, formatCounted(requests, 'request')] as const,
					),
					['Max event-loop stall', formatMs(state.event_loop_stall_ms)],
				]}
			/>
		</Panel>
	)
}

function counted(by: State['accepted']): string {
	const parts = signals.filter((signal) => by[signal] > 0)
	return parts.map((signal) => `${formatCount(by[signal])} ${items[signal]}`).join(', ') || 'nothing'
}
