import type { SpanRow } from '../span-row.ts'
import { marked, redactorOf } from './redactor.ts'
import type { RuleSet } from './rule.ts'

/**
 * The record of a call as the built-in detectors and the rules of its workspace leave it. What it says in columns is redacted
 * under the keys by which the conventions know it; its content came here without what the detectors find.
 */
export function redactCall(row: SpanRow, rules: RuleSet | undefined): SpanRow {
	if (!rules && row.statusMessage === '') return row
	const redactor = redactorOf(rules)
	const found: Set<string> = new Set()
	const statusMessage = redactor.message(row.statusMessage, found) ?? row.statusMessage
	if (!rules) return { ...row, statusMessage, attributes: marked(row.attributes, found) }
	const column = (key: string, text: string) => redactor.attribute(key, text, found) as string
	return {
		...row,
		name: redactor.text(row.name),
		statusMessage,
		userId: column('user.id', row.userId),
		sessionId: column('session.id', row.sessionId),
		attributes: marked(redactor.attributesIn(row.attributes, found), found),
	}
}
