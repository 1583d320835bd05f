import { formatDateTime } from '../../lib/format.ts'
import type { Approval } from './queries.ts'

/** The outcome of an approval as a sentence; null while it is pending. */
export function describeOutcome(approval: Approval): string | null {
	const { agent, tool, status, reason, decided_by, valid_until, for_minutes, used_at } = approval
	const by = decided_by ? ` by ${decided_by.name}` : ''
	const quotedReason = reason ? `: “${reason}”` : ''
	const until = valid_until ? formatDateTime(valid_until) : ''
	switch (status) {
		case 'pending':
			return null
		case 'approved':
			return for_minutes === null
				? `Approved${by}${quotedReason}. The call runs when the agent sends it again, until ${until}.`
				: `All calls of ${tool} by ${agent.name} are approved${by} until ${until}${quotedReason}.`
		case 'used':
			return `Approved${by}${quotedReason}. The call ran at ${used_at ? formatDateTime(used_at) : 'an unknown time'}.`
		case 'denied':
			return `Denied${by}${quotedReason}.`
		case 'expired':
			return decided_by
				? `Approved${by}${quotedReason}, but it expired before the call was sent again.`
				: 'No one decided in time. Sending the call again requests a new approval.'
		case 'revoked':
			return `The approval${by ? ` given${by}` : ''} was revoked. If the call is sent again, a new approval is requested.`
	}
}
