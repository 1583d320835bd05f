import type { RedactionTarget } from '@signalbox/contract'
import { redact } from '../../platform/redaction/index.ts'
import type { Attributes, AttributeValue } from '../span-row.ts'
import { isContentKey, isContentKeyAt } from './content-keys.ts'
import { redactedKey, redactValue } from './redact-value.ts'
import { type CompiledRule, compileRule, type RuleSet } from './rule.ts'

type Entries = [string, AttributeValue][]

/** What is done to the texts of an attribute. */
interface Treatment {
	/** Whether it holds content, which the built-in detectors look through. */
	isContent: boolean
	rules: readonly CompiledRule[]
}

const mostKnownKeys = 5000
const longestKnownKey = 256

/** Takes what is private out of telemetry before it is written: by the built-in detectors, and by a workspace's own rules. */
export class Redactor {
	/** Whether own rules may change more than content and log bodies. Almost never, so it is asked first. */
	readonly hasKeyRules: boolean
	readonly #everywhere: readonly CompiledRule[]
	readonly #byKey: readonly CompiledRule[]
	readonly #content: Treatment
	readonly #logBodies: Treatment
	/** Keys come again and again. */
	readonly #known = new Map<string, Treatment>()

	constructor(rules: readonly CompiledRule[]) {
		const of = (...targets: RedactionTarget[]) =>
			rules.filter(({ appliesTo }) => targets.some((target) => appliesTo.has(target)))
		this.#everywhere = of('all')
		this.#byKey = of('attributes')
		this.#content = { isContent: true, rules: of('content', 'all') }
		this.#logBodies = { isContent: true, rules: of('log_bodies', 'all') }
		this.hasKeyRules = this.#everywhere.length > 0 || this.#byKey.length > 0
	}

	/** Whether the attribute with the key in these bytes is looked through. */
	concernsAt(bytes: Buffer, start: number, end: number): boolean {
		if (isContentKeyAt(bytes, start, end)) return true
		return this.hasKeyRules && this.#treatmentOf(bytes.toString('utf8', start, end)).rules.length > 0
	}

	/** The value of an attribute as it is kept, itself when nothing in it is private; what was found is added to `found`. */
	attribute(key: string, value: AttributeValue, found: Set<string>): AttributeValue {
		return treat(value, this.#treatmentOf(key), found)
	}

	attributes(entries: Entries, found: Set<string>): Entries {
		return entries.map(([key, value]) => [key, this.attribute(key, value, found)])
	}

	/** The same, and the map itself when nothing in it is private: most log records are left as they came. */
	attributesIn(attributes: Attributes, found: Set<string>): Attributes {
		let changed: Map<string, AttributeValue> | null = null
		attributes.forEach((value, key) => {
			const redacted = this.attribute(key, value, found)
			if (redacted !== value) changed = (changed ?? new Map(attributes)).set(key, redacted)
		})
		return changed ?? attributes
	}

	/** Attributes that tell no content, as those of a resource, a link or a data point: own rules alone concern them. */
	others(entries: Entries): Entries {
		return this.hasKeyRules ? this.attributes(entries, new Set()) : entries
	}

	othersIn(attributes: Attributes): Attributes {
		return this.hasKeyRules ? this.attributesIn(attributes, new Set()) : attributes
	}

	/** What people and models said. */
	content(value: AttributeValue, found: Set<string>): AttributeValue {
		return treat(value, this.#content, found)
	}

	logBody(value: AttributeValue, found: Set<string>): AttributeValue {
		return treat(value, this.#logBodies, found)
	}

	/**
	 * What a status says, which mostly is an exception's message: what is private in every content, and rules for everything. Null
	 * when it stays as it is.
	 */
	message(text: string, found: Set<string>): string | null {
		const left = applyRules(this.#everywhere, withoutPrivate(text, found), found)
		return left === text ? null : left
	}

	/** A text that is no attribute, as the name of a span: rules for everything alone concern it. */
	text(text: string): string {
		return this.#everywhere.length === 0 ? text : applyRules(this.#everywhere, text, new Set())
	}

	#treatmentOf(key: string): Treatment {
		const known = this.#known.get(key)
		if (known) return known
		const isContent = isContentKey(key)
		const always = isContent ? this.#content.rules : this.#everywhere
		const rules = [...new Set([...always, ...this.#byKey.filter((rule) => rule.names(key))])]
		if (this.#known.size >= mostKnownKeys) this.#known.clear()
		if (key.length <= longestKnownKey) this.#known.set(key, { isContent, rules })
		return { isContent, rules }
	}
}

function treat(value: AttributeValue, { isContent, rules }: Treatment, found: Set<string>): AttributeValue {
	if (!isContent && rules.length === 0) return value
	return redactValue(value, (text) =>
		applyRules(rules, isContent ? withoutPrivate(text, found) : text, found),
	)
}

function withoutPrivate(text: string, found: Set<string>): string {
	const { text: redacted, found: here } = redact(text)
	for (const name of here.keys()) found.add(name)
	return redacted
}

function applyRules(rules: readonly CompiledRule[], text: string, found: Set<string>): string {
	let redacted = text
	for (const rule of rules) redacted = rule.redact(redacted, found)
	return redacted
}

/** The attributes with the mark of what was found in them, beside what was marked before. */
export function marked(attributes: Attributes, found: ReadonlySet<string>): Attributes {
	if (found.size === 0) return attributes
	const before = attributes.get(redactedKey)
	return new Map(attributes).set(redactedKey, [
		...new Set([...(Array.isArray(before) ? before : []), ...found]),
	])
}

const builtIn = new Redactor([])
const compiled = new Map<string, Redactor>()
const mostCompiled = 200

/** The redactor of a workspace with these rules; absent: without any. Throws `UnusablePattern`. */
export function redactorOf(rules: RuleSet | undefined): Redactor {
	if (!rules) return builtIn
	const known = compiled.get(rules.key)
	if (known) return known
	const redactor = new Redactor(rules.rules.map(compileRule))
	if (compiled.size >= mostCompiled) compiled.clear()
	compiled.set(rules.key, redactor)
	return redactor
}
