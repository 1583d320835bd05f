/** What narrows a grant further: until when, with which arguments, and whether a person is asked. */
export interface GrantLimits {
	expires_at: string | null
	/** Tool → JSON Schema of its arguments. */
	constraints: Record<string, unknown>
	approval: Record<string, 'ask'>
}

/** The limits as people edit them; the schemas are text until they are saved. */
export interface LimitsDraft {
	/** As `datetime-local` has it, in the person's own zone; empty: never. */
	expires: string
	tools: Record<string, { schema: string; ask: boolean }>
}

export function toDraft({ expires_at, constraints, approval }: GrantLimits): LimitsDraft {
	const names = [...new Set([...Object.keys(constraints), ...Object.keys(approval)])].toSorted()
	return {
		expires: expires_at === null ? '' : toLocal(expires_at),
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

/** The limits of a draft, or by tool what is wrong with its schema. */
export function fromDraft(draft: LimitsDraft): { limits: GrantLimits } | { errors: Record<string, string> } {
	const errors: Record<string, string> = {}
	const limits: GrantLimits = {
		expires_at: draft.expires ? new Date(draft.expires).toISOString() : null,
		constraints: {},
		approval: {},
	}
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

/** In a few words: `until 3 Dec 2026`, `2 tools limited`. */
export function describeLimits({ expires_at, constraints, approval }: GrantLimits, nowMs: number): string[] {
	const limited = new Set([...Object.keys(constraints), ...Object.keys(approval)]).size
	const day = expires_at && new Date(expires_at).toLocaleDateString('en-GB', { dateStyle: 'medium' })
	return [
		...(expires_at ? [Date.parse(expires_at) <= nowMs ? `expired ${day}` : `until ${day}`] : []),
		...(limited > 0 ? [`${limited} limited`] : []),
	]
}

function toLocal(iso: string): string {
	const at = new Date(iso)
	return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
