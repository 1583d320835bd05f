import type { RuleSet } from '../redaction/rule.ts'

/** What a workspace's own rules take out of texts, for whoever applies it: in this order. */
export interface TextRules {
	/** The same for the same rules: what was compiled for them is used again. */
	key: string
	/** RE2, and what stands in the place of what it finds. */
	patterns: readonly { pattern: string; label: string }[]
}

/** Undefined for a workspace without rules for what people and models said. */
export function textRules(set: RuleSet | undefined): TextRules | undefined {
	const rules = set?.rules.filter(
		({ appliesTo }) => appliesTo.includes('content') || appliesTo.includes('all'),
	)
	if (!set || !rules || rules.length === 0) return undefined
	return { key: set.key, patterns: rules.map(({ pattern, label }) => ({ pattern, label })) }
}
