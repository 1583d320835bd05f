import { Problem } from '../../platform/errors.ts'

/** Conditions of a WHERE, each with `AND` before it, and their parameters. */
export interface Conditions {
	sql: string
	parameters: Record<string, unknown>
}

/** `key`, `!key`, or a key, an operator and a value; the contract's pattern lets nothing else pass. */
const form = /^(?<absent>!?)(?<key>[^=!<>~]+)(?:(?<operator>!=|~=|<=|>=|=|<|>)(?<value>[\s\S]*))?$/

/** Rows whose attributes, or those of their resource, are as each of the texts says. Throws Problem 400 for `key>text`. */
export function attributeConditions(filters: readonly string[] = []): Conditions {
	const all = filters.map((filter, number) => conditionOf(filter, number))
	return {
		sql: all.map(({ sql }) => ` AND ${sql}`).join(''),
		parameters: Object.assign({}, ...all.map(({ parameters }) => parameters)),
	}
}

function conditionOf(filter: string, number: number): Conditions {
	const { absent, key, operator, value = '' } = form.exec(filter)?.groups ?? {}
	const keyName = `{attribute_key_${number}:String}`
	const either = (test: (text: string) => string) =>
		`(${['attributes', 'resource']
			.map((map) => `(mapContains(${map}, ${keyName}) AND ${test(`${map}[${keyName}]`)})`)
			.join(' OR ')})`
	const parameters = { [`attribute_key_${number}`]: key }
	if (operator === undefined)
		return { sql: `${absent === '!' ? 'NOT ' : ''}${either(() => '1')}`, parameters }
	return {
		sql: (operator === '!=' ? 'NOT ' : '') + either(comparisons[operator as Operator](number)),
		parameters: { ...parameters, [`attribute_value_${number}`]: toValue(operator as Operator, value) },
	}
}

const asText = (number: number) => `{attribute_value_${number}:String}`
const isText = (number: number) => (text: string) => `${text} = ${asText(number)}`
/** A text that is no number is neither more nor less than one. */
const isNumber = (operator: string) => (number: number) => (text: string) =>
	`ifNull(toFloat64OrNull(${text}) ${operator} {attribute_value_${number}:Float64}, 0)`

const comparisons = {
	'=': isText,
	'!=': isText,
	'~=': (number: number) => (text: string) => `positionCaseInsensitiveUTF8(${text}, ${asText(number)}) > 0`,
	'<': isNumber('<'),
	'<=': isNumber('<='),
	'>': isNumber('>'),
	'>=': isNumber('>='),
}
type Operator = keyof typeof comparisons

function toValue(operator: Operator, value: string): string | number {
	if (!operator.startsWith('<') && !operator.startsWith('>')) return value
	const number = Number(value)
	if (value.trim() !== '' && Number.isFinite(number)) return number
	const detail = `compares with a number, which "${value}" is not`
	throw new Problem('invalid_request', `attribute ${detail}.`, {
		errors: [{ pointer: '/attribute', code: 'number', detail }],
	})
}
