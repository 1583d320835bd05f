import type { HookStage } from '@signalbox/contract'
import type { Hook } from './hook.ts'

export type HookResult = 'denied' | 'redacted' | 'allowed' | 'failed'

/** What a hook did to a call, as the call's record shows it. */
interface HookOutcome {
	hook: string
	stage: HookStage
	/** In a dry run: what it would have done. */
	result: HookResult
	dry_run?: true
	/** How often: a stream is judged in parts. */
	times: number
	/** Places that its pattern or its webhook found. */
	matches?: number
	/** Why it failed. */
	error?: string
	/** What its webhook took, in all. */
	ms?: number
}

/** The outcomes of one call. */
export class HookOutcomes {
	readonly #outcomes = new Map<string, HookOutcome>()

	note(
		{ id, name, enforced }: Hook,
		stage: HookStage,
		result: HookResult,
		detail: Pick<HookOutcome, 'matches' | 'error' | 'ms'> = {},
	): void {
		const key = `${id} ${stage} ${result}`
		const before = this.#outcomes.get(key)
		const outcome: HookOutcome = before ?? { hook: name, stage, result, times: 0 }
		outcome.times += 1
		if (!enforced) outcome.dry_run = true
		if (detail.matches) outcome.matches = (before?.matches ?? 0) + detail.matches
		if (detail.ms !== undefined) outcome.ms = (before?.ms ?? 0) + detail.ms
		if (detail.error) outcome.error = detail.error
		this.#outcomes.set(key, outcome)
	}

	/** JSON, or '' where no hook had anything to say. */
	get told(): string {
		return this.#outcomes.size === 0 ? '' : JSON.stringify([...this.#outcomes.values()])
	}
}
