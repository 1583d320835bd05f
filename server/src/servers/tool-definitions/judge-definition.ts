import type { DefinitionPolicy, PinReason, PinState } from '@signalbox/contract'
import { findIncompatibility } from './compare/compatibility.ts'
import type { ToolDefinition } from './definition.ts'

export interface DefinitionQuestion {
	policy: DefinitionPolicy
	/** The hash of what the server offers now, and of what was approved. */
	hash: string
	approvedHash: string | null
	/** Whether somebody rejected what the server offers now. */
	rejected: boolean
	current: ToolDefinition
	/** Null when none was approved, or when it is not known any more. */
	approved: ToolDefinition | null
	/** Whether it holds what nobody writes who means well. */
	hides: boolean
	/** Whether any agent has been given the tool. */
	held: boolean
	/** Whether the tools of the server are seen for the first time. */
	firstSight: boolean
}

export interface Pin {
	state: PinState
	reason: PinReason | null
	detail: string | null
	/** The present definition becomes the approved one. */
	adopt: boolean
}

/**
 * What agents are shown of a tool. Pure. What was approved is open. What somebody rejected is never taken, whatever the
 * policy. With the policy `allow` everything else is taken. Otherwise what an agent already has never changes under its hands: the approved definition is kept while the calls it
 * allows stay valid (`keep-approved`), or the tool waits for a person. What nobody has yet is taken as it is, unless it hides something.
 */
export function judgeDefinition(asked: DefinitionQuestion): Pin {
	if (asked.hash === asked.approvedHash) return pin('open', null)
	if (asked.policy === 'allow' && !asked.rejected) return adopted
	if ((asked.firstSight || !asked.held) && !asked.rejected)
		return asked.hides ? pin('suspended', 'hidden_text') : adopted
	if (asked.approvedHash === null) return pin('suspended', newReason(asked))
	return judgeChange(asked)
}

function newReason({ hides, rejected }: DefinitionQuestion): PinReason {
	return rejected ? 'rejected' : hides ? 'hidden_text' : 'new'
}

function judgeChange({ policy, approved, current, rejected }: DefinitionQuestion): Pin {
	const detail = approved ? findIncompatibility(approved, current) : 'what was approved is not known any more'
	if (policy !== 'suspend' && detail === null) return pin('kept', rejected ? 'rejected' : 'changed')
	if (rejected) return pin('suspended', 'rejected', detail)
	return policy === 'suspend' ? pin('suspended', 'changed', detail) : pin('suspended', 'incompatible', detail)
}

const adopted: Pin = { state: 'open', reason: null, detail: null, adopt: true }

function pin(state: PinState, reason: PinReason | null, detail: string | null = null): Pin {
	return { state, reason, detail, adopt: false }
}
