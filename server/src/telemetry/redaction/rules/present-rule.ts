import type { OutputOf, RedactionTarget, redactionRuleOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { RedactionRule } from '../rule.ts'
import type { RedactionRuleRow } from './repository.ts'

export type RedactionRuleDocument = OutputOf<(typeof redactionRuleOperations)['get']>

export function presentRule(row: RedactionRuleRow): RedactionRuleDocument {
	return {
		id: row.id,
		name: row.name,
		pattern: row.pattern,
		label: row.label,
		applies_to: JSON.parse(row.applies_to) as RedactionTarget[],
		attribute_keys: JSON.parse(row.attribute_keys) as string[],
		ingest_token_id: row.ingest_token_id,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

/** As redaction takes it. */
export function toRule(row: RedactionRuleRow): RedactionRule {
	const { pattern, label, applies_to: appliesTo, attribute_keys: attributeKeys } = presentRule(row)
	return { pattern, label, appliesTo, attributeKeys }
}
