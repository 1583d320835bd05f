import { accessProblems } from './problems/access.ts'
import { conflictsProblems } from './problems/conflicts.ts'
import { instanceProblems } from './problems/instance.ts'
import { moneyProblems } from './problems/money.ts'
import { requestsProblems } from './problems/requests.ts'

/**
 * Every failure the platform API can answer, by its stable code: the status, a title, and what the reader can do.
 * `docs/errors.md` is made from this table and a test holds the two equal.
 */
export const problems = {
	...requestsProblems,
	...accessProblems,
	...moneyProblems,
	...conflictsProblems,
	...instanceProblems,
} as const

export type ProblemCode = keyof typeof problems

/** The remedy as people read it after the text of a failure: they see no field `detail`, no header and no path. */
export function remedyOf(code: ProblemCode): string {
	const text = problems[code].remedy
		.replace(/(wait for the time in|retry after|repeat it after) Retry-After/i, 'Try again in a moment')
		.replace('; Try', '; try')
		.replace(/; `(\/readyz|RateLimit|signalbox_)[^.]*/, '')
		.replaceAll('`detail`', 'the text above')
	return text.replaceAll(/(^|[.:] )the text above/g, (_all, start: string) => `${start}The text above`)
}
