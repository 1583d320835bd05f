import {
	type AccessMode,
	type Approver,
	type CallLimits,
	type DeniableHint,
	deniableHints,
} from '@signalbox/contract'
import type { Static } from 'typebox'
import { Problem } from '../../platform/errors.ts'
import { checkConstraints } from './constraints/constraint.ts'

/** What a grant allows. `allowed_tools` is null with mode `all` and a list with `selected`. */
export interface GrantTerms {
	access_mode: AccessMode
	allowed_tools: string[] | null
	/** Like `allowed_tools`. */
	allowed_prompts: string[] | null
	/** Like `allowed_tools`; URI patterns. */
	allowed_resources: string[] | null
	enabled: boolean
	/** RFC 3339, or null: no expiry. */
	expires_at: string | null
	/** JSON Schema of the arguments, by tool. */
	constraints: Record<string, unknown>
	approval: Record<string, 'ask'>
	approver: Approver
	/** Milliseconds; null for the default. */
	approval_wait_ms: number | null
	/** In the order of the contract. */
	denied_hints: DeniableHint[]
	/** Limits by tool, or by `*` for all. */
	call_limits: Record<string, Static<typeof CallLimits>>
}

export type GrantChange = { [K in keyof GrantTerms]?: GrantTerms[K] | undefined }

const unlimited: GrantTerms = {
	access_mode: 'all',
	allowed_tools: null,
	allowed_prompts: null,
	allowed_resources: null,
	enabled: true,
	expires_at: null,
	constraints: {},
	approval: {},
	approver: 'workspace',
	approval_wait_ms: null,
	denied_hints: [],
	call_limits: {},
}

const lists = ['allowed_tools', 'allowed_prompts', 'allowed_resources'] as const
type List = (typeof lists)[number]

/** Without a mode, a list of tools means `selected`, and no list means `all`. */
export function newTerms(change: GrantChange): GrantTerms {
	return changedTerms(unlimited, change)
}

/** A list by itself narrows a grant to it. `null` by itself does not widen one: that requires the mode `all`. */
export function changedTerms(before: GrantTerms, change: GrantChange): GrantTerms {
	const narrows = lists.some((name) => change[name])
	const mode = change.access_mode ?? (narrows ? 'selected' : before.access_mode)
	const listed = (name: List) => {
		const kept = mode === before.access_mode ? before[name] : undefined
		return listFor(mode, name, change[name] === undefined ? kept : change[name])
	}
	if (change.constraints) checkConstraints(change.constraints)
	return {
		access_mode: mode,
		allowed_tools: listed('allowed_tools'),
		allowed_prompts: listed('allowed_prompts'),
		allowed_resources: listed('allowed_resources'),
		enabled: change.enabled ?? before.enabled,
		expires_at: change.expires_at === undefined ? before.expires_at : change.expires_at,
		constraints: change.constraints ?? before.constraints,
		approval: change.approval ?? before.approval,
		approver: change.approver ?? before.approver,
		approval_wait_ms:
			change.approval_wait_ms === undefined ? before.approval_wait_ms : change.approval_wait_ms,
		denied_hints: deniableHints.filter((hint) => (change.denied_hints ?? before.denied_hints).includes(hint)),
		call_limits: change.call_limits ?? before.call_limits,
	}
}

function listFor(mode: AccessMode, name: List, given: string[] | null | undefined): string[] | null {
	if (mode === 'all') {
		if (given) throw contradiction(name, 'must be null or absent with the access mode all')
		return null
	}
	if (given === null) throw contradiction(name, 'must be a list with the access mode selected')
	return given ?? []
}

function contradiction(name: List, detail: string): Problem {
	return new Problem('invalid_request', `body/${name}: ${detail}.`, {
		errors: [{ pointer: `/${name}`, code: 'conflict', detail }],
	})
}
