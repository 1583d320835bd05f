import { Badge } from '../../ui/status.tsx'
import type { Forwarder } from './queries.ts'

/** Whether the data arrives. */
export function ForwarderBadge({ forwarder: { enabled, state } }: { forwarder: Forwarder }) {
	if (!enabled)
		return (
			<Badge tone="idle" icon="pause">
				off
			</Badge>
		)
	if (state.some(({ error }) => error !== null)) return <Badge tone="bad">failing</Badge>
	return state.some(({ lag_s }) => lag_s > 60) ? (
		<Badge tone="warn">behind</Badge>
	) : (
		<Badge tone="ok">on</Badge>
	)
}
