import { accessProblems } from './problems/access.ts'
import { conflictsProblems } from './problems/conflicts.ts'
import { instanceProblems } from './problems/instance.ts'
import { moneyProblems } from './problems/money.ts'
import { requestsProblems } from './problems/requests.ts'

/**
 * Every failure of the platform API by its stable code: the status, a title, and what the reader can do. `docs/errors.md` is generated
 * from this table, and a test keeps the two equal.
 */
export const problems = {
	...requestsProblems,
	...accessProblems,
	...moneyProblems,
	...conflictsProblems,
	...instanceProblems,
} as const

export type ProblemCode = keyof typeof problems

/** What people at a screen can do, where the remedy addresses the author of the request. */
const forPeople: Partial<Record<ProblemCode, string>> = {
	precondition_failed: 'Somebody else has changed it. Look at what is there now, then repeat your change.',
	workspace_mismatch: 'Open the workspace again, or ask for an invitation to it.',
	unauthenticated: 'Sign in again.',
	invalid_request: 'The text above says which field is wrong, and what is expected.',
	invalid_json: 'Reload the page: it may be older than the program.',
	unsupported_media_type: 'Reload the page: it may be older than the program.',
	method_not_allowed: 'Reload the page: it may be older than the program.',
	invalid_host: 'Open Signalbox at the address that its operator gave you.',
	invalid_path: 'Check the address, or start at Home.',
	not_found: 'It may have been deleted, or be in another workspace.',
	ambiguous_credentials: 'Sign out, and sign in again.',
	headers_too_large: 'Delete the cookies of this site, and sign in again.',
	upgrade_required: 'Reload the page.',
	no_password: 'Set one with the link that “Forgot password” on the sign-in page sends.',
	mail_link_invalid: 'Ask for a new one on the page that sent it.',
	password_login_off: 'Sign in with one of the providers on the sign-in page.',
	sharing_off: 'An admin of the workspace can turn them on under Settings.',
	agent_required: 'Use the key of an agent.',
	tool_not_granted: "The text above says why; the agent's Access tab shows everything that it may do.",
	provider_key_missing: 'Store a key in the connection, under Model connections.',
	grants_exist: 'Remove the grants first.',
	idempotency_in_progress: 'Try again in a moment.',
	idempotency_mismatch: 'Reload the page, and repeat your change.',
	idempotency_answer_lost:
		'Look for it in its list. If it came with a secret, the secret is lost: revoke it, and create another.',
	model_unpriced:
		'Set a price under Prices, or let the budget allow unpriced models or count them at a ceiling price.',
	rate_limited: 'Try again in a moment; Limits shows how many requests are allowed.',
	internal: "Report the request id below; the program's log has the cause under that id.",
}

/** The remedy as shown to people after the text of a failure: without the field `detail`, headers, statuses and paths. */
export function remedyForPeople(code: ProblemCode): string {
	return forPeople[code] ?? remedyOf(code)
}

/** The `detail` of a failure that the catalogue describes in full: its title, and its remedy unless that refers to a field. */
export function plainDetail(code: ProblemCode): string {
	const { title, remedy } = problems[code]
	return remedy.includes('`detail`') || remedy.includes('`errors`') ? title : `${title}. ${remedy}`
}

/** The text of a failure for programs that show its remedy by themselves. */
export function textWithoutRemedy(code: string | undefined, detail: string): string {
	const isPlain = code !== undefined && code in problems && detail === plainDetail(code as ProblemCode)
	return isPlain ? problems[code as ProblemCode].title : detail
}

/** The remedy after the text of a failure, where the field `detail` is not shown. */
export function remedyOf(code: ProblemCode): string {
	const text = problems[code].remedy
		.replace(/(wait for|retry after) the time in Retry-After/i, 'Try again in a moment')
		.replace('; Try', '; try')
		.replace(/; `(\/readyz|RateLimit|signalbox_)[^.]*/, '')
		.replaceAll('`detail`', 'the text above')
	return text.replaceAll(/(^|[.:] )the text above/g, (_all, start: string) => `${start}The text above`)
}
