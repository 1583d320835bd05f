/** What a hook did to a call, as recorded in its span. */
export interface HookOutcome {
	hook: string
	stage: string
	/** `denied`, `redacted`, `failed` or, for a webhook, `allowed`. */
	result: string
	dry_run?: true
	times: number
	matches?: number
	error?: string
	ms?: number
}

/** The outcomes in a span's attributes; empty if no hook had an effect, or the text cannot be parsed. */
export function outcomesOf(attributes: Record<string, unknown>): HookOutcome[] {
	const recorded = attributes['signalbox.hooks']
	if (typeof recorded !== 'string') return []
	try {
		const outcomes: unknown = JSON.parse(recorded)
		return Array.isArray(outcomes) ? outcomes : []
	} catch {
		return []
	}
}

/** The condition on calls on which a hook with this name had an effect. */
export function conditionOfHook(name: string): string {
	return `signalbox.hooks~="hook":${JSON.stringify(name)}`
}
