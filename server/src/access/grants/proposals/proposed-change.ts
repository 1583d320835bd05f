import type { ProposedChange } from '@signalbox/contract'

export type GrantChange = Extract<ProposedChange, { op: string }>
export type ToolsetChange = Exclude<ProposedChange, { op: string }>

export function isOfGrant(change: ProposedChange): change is GrantChange {
	return 'op' in change
}
