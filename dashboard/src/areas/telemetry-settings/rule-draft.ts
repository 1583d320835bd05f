import { parseLines } from '../../lib/parse-lines.ts'
import type { RedactionRule, RuleInput } from './queries.ts'

export type RedactionTarget = RedactionRule['applies_to'][number]

/** The parts of telemetry to which a rule can apply. */
export const targetTexts: Record<RedactionTarget, { label: string; text: string }> = {
	content: { label: 'content', text: 'Prompts, answers, and arguments and results of tools' },
	attributes: { label: 'attributes', text: 'Those of the names below' },
	log_bodies: { label: 'bodies of logs', text: 'Log record text' },
	all: { label: 'everything', text: 'These, every other attribute, and names and messages of spans' },
}

/** A rule while it is being edited. */
export interface RuleDraft {
	name: string
	pattern: string
	label: string
	targets: readonly RedactionTarget[]
	/** One per line. */
	keys: string
	/** The ingest token to whose telemetry it applies; empty for all. */
	tokenId: string
}

export const blankRule: RuleDraft = {
	name: '',
	pattern: '',
	label: '',
	targets: ['content'],
	keys: '',
	tokenId: '',
}

export function ruleDraftOf(rule: RedactionRule): RuleDraft {
	const { name, pattern, label, applies_to, attribute_keys, ingest_token_id } = rule
	return {
		...{ name, pattern, label, targets: applies_to },
		...{ keys: attribute_keys.join('\n'), tokenId: ingest_token_id ?? '' },
	}
}

export function ruleInputOf({ name, pattern, label, targets, keys, tokenId }: RuleDraft): RuleInput {
	return {
		...{ name: name.trim(), pattern, label, applies_to: [...targets] },
		attribute_keys: targets.includes('attributes') ? parseLines(keys) : [],
		ingest_token_id: tokenId || null,
	}
}
