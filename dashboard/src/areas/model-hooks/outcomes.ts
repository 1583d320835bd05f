/** What a hook did to a call, as the call's record tells it. */
export interface HookOutcome {
	hook: string
	stage: string
	/** `denied`, `redacted`, `failed` or, of a webhook, `allowed`. */
	result: string
	dry_run?: true
	times: number
	matches?: number
	error?: string
	ms?: number
}

/** Of a span; none where no hook had anything to say, or the text cannot be read. */
export function outcomesOf(attributes: Record<string, unknown>): HookOutcome[] {
	const told = attributes['signalbox.hooks']
	if (typeof told !== 'string') return []
	try {
		const outcomes: unknown = JSON.parse(told)
		return Array.isArray(outcomes) ? outcomes : []
	} catch {
		return []
	}
}

/** The condition that holds for calls to which a hook of this name did something. */
export function conditionOfHook(name: string): string {
	return `signalbox.hooks~="hook":${JSON.stringify(name)}`
}
