import type { HookStage } from '@signalbox/contract'
import { Problem } from '../../../platform/errors.ts'
import type { AskedCallFacts, WebhookAnswer } from './ask-webhook.ts'
import type { Hook } from './hook.ts'
import type { HookOutcomes } from './hook-outcomes.ts'
import { Turns } from './turns.ts'

/** What the hooks of a call work with. */
export interface Judging {
	ask(hook: Hook, stage: HookStage, call: AskedCallFacts, texts: readonly string[]): Promise<WebhookAnswer>
	call: AskedCallFacts
	outcomes: HookOutcomes
}

type Texts = readonly string[]
/** What a hook says of texts: what is left of them, and how much it found. */
interface Said {
	texts: Texts
	matches: number
	/** Null: nothing speaks against them. */
	refusal: string | null
	ms?: number
}

/**
 * Has hooks judge texts, one after the other: each sees what the one before it left. Answers with what is left of each
 * text. Throws Problem `hook_denied`, or `hook_failed` for a hook that fails closed.
 */
export async function judgeTexts(
	judging: Judging,
	hooks: readonly Hook[],
	stage: HookStage,
	texts: Texts,
): Promise<Texts> {
	let left = texts
	for (const hook of hooks) {
		const said = await heard(judging, hook, stage, left)
		if (said && hook.enforced) left = said.texts
	}
	return left
}

/** Null: it failed, and the call goes on. */
async function heard(judging: Judging, hook: Hook, stage: HookStage, texts: Texts): Promise<Said | null> {
	const said = await (hook.webhook ? byWebhook(judging, hook, stage, texts) : byPattern(hook, texts)).catch(
		(error: Error) => failed(judging.outcomes, hook, stage, error.message),
	)
	if (!said) return null
	const { matches, refusal, ms } = said
	const result = refusal !== null ? 'denied' : matches > 0 ? 'redacted' : 'allowed'
	// A pattern that finds nothing has nothing to say.
	if (result !== 'allowed' || hook.webhook)
		judging.outcomes.note(hook, stage, result, { matches, ...(ms !== undefined && { ms }) })
	if (refusal !== null && hook.enforced) throw denied(hook, stage, refusal)
	return said
}

/** A hook that cannot tell. Throws Problem `hook_failed` where it fails closed. */
export function failed(outcomes: HookOutcomes, hook: Hook, stage: HookStage, error: string): null {
	outcomes.note(hook, stage, 'failed', { error: error.slice(0, 200) })
	if (!hook.enforced || !hook.failsClosed) return null
	throw new Problem('hook_failed', `The hook ${hook.name} could not judge the ${stage}: ${error}`)
}

function denied({ name }: Hook, stage: HookStage, reason: string): Problem {
	return new Problem('hook_denied', `The hook ${name} refused the ${stage}${reason && `: ${reason}`}.`)
}

async function byPattern({ action, redact }: Hook, texts: Texts): Promise<Said> {
	const left: string[] = []
	let matches = 0
	const count = () => {
		matches += 1
	}
	const turns = new Turns()
	for (const text of texts) left.push(redact ? await turns.through(redact(text, count)) : text)
	if (action === 'redact') return { texts: left, matches, refusal: null }
	return { texts, matches, refusal: matches > 0 ? '' : null }
}

async function byWebhook(judging: Judging, hook: Hook, stage: HookStage, texts: Texts): Promise<Said> {
	const startedMs = performance.now()
	const answer = await judging.ask(hook, stage, judging.call, texts)
	const ms = Math.round(performance.now() - startedMs)
	if (answer.action === 'allow') return { texts, matches: 0, refusal: null, ms }
	if (answer.action === 'deny') return { texts, matches: 0, refusal: answer.reason, ms }
	if (stage === 'stream') throw new Error('Its webhook would redact a stream, which cannot be changed.')
	return { ...withoutMatches(texts, answer.matches, `[redacted:${hook.label}]`), refusal: null, ms }
}

function withoutMatches(texts: Texts, found: Texts, label: string): Pick<Said, 'texts' | 'matches'> {
	let matches = 0
	const left = texts.map((text) =>
		found.reduce((rest, match) => {
			const parts = rest.split(match)
			matches += parts.length - 1
			return parts.join(label)
		}, text),
	)
	return { texts: left, matches }
}
