import type { BodyOf, OutputOf, redactionRuleOperations } from '@signalbox/contract'
import { redactorOf } from '../redactor.ts'
import { compileRule, type RuleSet } from '../rule.ts'
import { checkPattern, refused } from './check-pattern.ts'

type Trial = BodyOf<(typeof redactionRuleOperations)['try']>
type Outcome = OutputOf<(typeof redactionRuleOperations)['try']>

/** What would be left of a text: by one rule alone, or as content of a workspace with these rules. */
export function tryRules({ text, pattern, label }: Trial, rules: RuleSet | undefined): Outcome {
	if ((pattern === undefined) !== (label === undefined))
		throw refused(pattern === undefined ? 'pattern' : 'label', 'is needed too')
	const found: Set<string> = new Set()
	if (pattern === undefined || label === undefined) {
		const left = redactorOf(rules).content(text, found) as string
		return { text: left, found: [...found] }
	}
	checkPattern(pattern)
	const rule = compileRule({ pattern, label, appliesTo: ['content'], attributeKeys: [] })
	return { text: rule.redact(text, found), found: [...found] }
}
