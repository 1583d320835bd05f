import type { Schemas } from '../../api.ts'
import { formatDate } from '../../lib/format.ts'
import { fromLocalField, toLocalField } from '../../lib/time-zone.ts'

export type DeniedHint = Schemas['AccessGrant']['denied_hints'][number]
export type Approver = Schemas['AccessGrant']['approver']

/** Additional restrictions of a grant: when it expires, which arguments are allowed, and whether and how approval is requested. */
export interface GrantLimits {
	expires_at: string | null
	/** Tool → JSON Schema of its arguments. */
	constraints: Record<string, unknown>
	approval: Record<string, 'ask'>
	approver: Approver
	/** How long a call waits for approval, in ms; null: 60000. */
	approval_wait_ms: number | null
	/** Tools with these annotations are denied. */
	denied_hints: DeniedHint[]
}

export const noLimits: GrantLimits = {
	expires_at: null,
	constraints: {},
	approval: {},
	approver: 'workspace',
	approval_wait_ms: null,
	denied_hints: [],
}

/** The limits while they are being edited; schemas are text until they are saved. */
export interface LimitsDraft {
	/** In the format of `datetime-local`, in the person's own time zone; empty: never. */
	expires: string
	approver: Approver
	/** Empty: the default of 60. */
	waitSeconds: string
	denied_hints: DeniedHint[]
	tools: Record<string, { schema: string; ask: boolean }>
}

export function toDraft(limits: GrantLimits): LimitsDraft {
	const { expires_at, constraints, approval, approver, approval_wait_ms, denied_hints } = limits
	const names = [...new Set([...Object.keys(constraints), ...Object.keys(approval)])].toSorted()
	return {
		expires: expires_at === null ? '' : toLocalField(Date.parse(expires_at)),
		approver,
		waitSeconds: approval_wait_ms === null ? '' : String(approval_wait_ms / 1000),
		denied_hints,
		tools: Object.fromEntries(
			names.map((name) => [
				name,
				{
					schema: name in constraints ? JSON.stringify(constraints[name], null, 2) : '',
					ask: name in approval,
				},
			]),
		),
	}
}

const maxWaitSeconds = 120
/** The key under which an error of the waiting time is reported; no tool has an empty name. */
export const waitField = ''

/** The limits of a draft, or its errors: by tool for schemas, and for the waiting time. */
export function fromDraft(draft: LimitsDraft): { limits: GrantLimits } | { errors: Record<string, string> } {
	const errors: Record<string, string> = {}
	const limits: GrantLimits = {
		expires_at: draft.expires ? new Date(fromLocalField(draft.expires)).toISOString() : null,
		constraints: {},
		approval: {},
		approver: draft.approver,
		approval_wait_ms: draft.waitSeconds.trim() === '' ? null : Math.round(Number(draft.waitSeconds) * 1000),
		denied_hints: draft.denied_hints,
	}
	if (!isPossibleWait(limits.approval_wait_ms)) errors[waitField] = `From 0 to ${maxWaitSeconds} seconds`
	for (const [name, { schema, ask }] of Object.entries(draft.tools)) {
		if (ask) limits.approval[name] = 'ask'
		if (schema.trim() === '') continue
		try {
			limits.constraints[name] = JSON.parse(schema)
		} catch (error) {
			errors[name] = error instanceof Error ? error.message : 'This is not JSON'
		}
	}
	return Object.keys(errors).length > 0 ? { errors } : { limits }
}

function isPossibleWait(waitMs: number | null): boolean {
	return waitMs === null || (waitMs >= 0 && waitMs <= maxWaitSeconds * 1000)
}

/** A short description: `until 3 Dec 2026`, `2 tools limited`. */
export function describeLimits(
	{ expires_at, constraints, approval, denied_hints }: Omit<GrantLimits, 'approver' | 'approval_wait_ms'>,
	nowMs: number,
): string[] {
	const limited = new Set([...Object.keys(constraints), ...Object.keys(approval)]).size
	const day = expires_at && formatDate(expires_at)
	return [
		...(expires_at ? [Date.parse(expires_at) <= nowMs ? `expired ${day}` : `until ${day}`] : []),
		...(limited > 0 ? [`${limited} limited`] : []),
		...(denied_hints.length > 0 ? ['without some by their annotations'] : []),
	]
}
