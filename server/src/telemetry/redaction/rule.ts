import type { RedactionTarget } from '@signalbox/contract'
import { compileOwnPattern } from '../../platform/redaction/index.ts'

/** A workspace's own rule, in a form that can be handed to another thread. */
export interface RedactionRule {
	/** RE2. */
	pattern: string
	/** Stands in the place of what was found: `[redacted:label]`. */
	label: string
	appliesTo: readonly RedactionTarget[]
	/** For the target `attributes`; a name that ends with a star stands for all that begin so. */
	attributeKeys: readonly string[]
}

/** The rules of a workspace. */
export interface RuleSet {
	/** The same for the same rules: what was compiled for it is used again. */
	key: string
	rules: readonly RedactionRule[]
}

/** A rule ready for use. */
export interface CompiledRule {
	appliesTo: ReadonlySet<RedactionTarget>
	/** Whether the attribute is one that the rule names. */
	names(key: string): boolean
	/** The text without what the rule finds; its label is added to `found` when there is something. */
	redact(text: string, found: Set<string>): string
}

/** Throws `UnusablePattern`. */
export function compileRule({ pattern, label, appliesTo, attributeKeys }: RedactionRule): CompiledRule {
	const own = compileOwnPattern(pattern)
	const whole = new Set(attributeKeys.filter((key) => !key.endsWith('*')))
	const starts = attributeKeys.filter((key) => key.endsWith('*')).map((key) => key.slice(0, -1))
	return {
		appliesTo: new Set(appliesTo),
		names: (key) => whole.has(key) || starts.some((start) => key.startsWith(start)),
		redact: (text, found) => own.replace(text, label, () => found.add(label)),
	}
}
