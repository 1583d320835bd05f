import type { AccessReason } from '@signalbox/contract'
import { type AccessQuestion, decideAccess, type GrantEntry, type ProposedPair } from '../../grants/index.ts'

/** What a change does to a call; null: nothing. */
export type AccessChange = 'newly_denied' | 'newly_allowed' | 'unknown' | null

export interface Judgement {
	change: AccessChange
	/** As the judge of access says them: about a call when its arguments are known, else about the tool. */
	before: AccessReason
	after: AccessReason
	/** Whether recorded arguments could tell more. */
	byArguments: boolean
}

export type Who = Pick<AccessQuestion, 'agent' | 'server' | 'definition' | 'nowMs'>

/** Judges calls of a tool under the grants before and after. Without `values` their arguments are not known. */
export function judgePair(who: Who, pair: ProposedPair, tool: string, values?: unknown): Judgement {
	const ask = (grants: readonly GrantEntry[]) => decideAccess({ ...who, grants, tool, arguments: values })
	const [before, after] = [ask(pair.before), ask(pair.after)]
	const [then, now] = [outcomeOf(before, values), outcomeOf(after, values)]
	const reasons = { before: before.reason, after: after.reason }
	const byArguments = values === undefined && [before, after].some(({ reason }) => limited.has(reason))
	if (then === null || now === null) {
		const change = then === now && opensSame(who, pair, tool) ? null : 'unknown'
		return { change, ...reasons, byArguments: change !== null }
	}
	const change = then === now ? null : now ? 'newly_allowed' : 'newly_denied'
	return { change, ...reasons, byArguments: change !== null && byArguments }
}

const limited: ReadonlySet<AccessReason> = new Set(['granted_constrained', 'granted_on_approval'])

/** Whether a call is allowed; null when that depends on arguments that are not known. */
function outcomeOf(
	{ allowed, reason }: { allowed: boolean; reason: AccessReason },
	values: unknown,
): boolean | null {
	if (values !== undefined || !limited.has(reason)) return allowed
	// A call that must be asked for is refused, whatever its arguments.
	return reason === 'granted_on_approval' ? false : null
}

/** Whether the same arguments are allowed before and after: when the constraints that open the tool are the same. */
function opensSame(who: Who, { before, after }: ProposedPair, tool: string): boolean {
	const open = (grants: readonly GrantEntry[]) =>
		new Set(
			grants
				.filter((grant) => decideAccess({ ...who, grants: [grant], tool }).reason === 'granted_constrained')
				// Equal schemas share one constraint.
				.map(({ constraints }) => constraints?.get(tool)),
		)
	const [then, now] = [open(before), open(after)]
	return then.size === now.size && [...then].every((constraint) => now.has(constraint))
}
