import { type TSchema, type TUnion, Type } from 'typebox'
import { Nullable } from './common.ts'

type Pair<Name extends string, Schema extends TSchema> = {
	[Key in `${Name}_nano_usd` | `${Name}_usd`]: Schema
}

/** The two fields of an amount of money: `cost_nano_usd`, integer nano-dollars, and `cost_usd`, the same amount as decimal text. */
export function money<Name extends string>(name: Name, description: string): Pair<Name, Type.TString> {
	return {
		[`${name}_nano_usd`]: Type.String({ description: `${description}; integer nano-dollars` }),
		[`${name}_usd`]: Type.String({ description: `\`${name}_nano_usd\` as decimal text` }),
	} as Pair<Name, Type.TString>
}

/** Both are null if there is no price. */
export function moneyOrNull<Name extends string>(
	name: Name,
	description: string,
): Pair<Name, TUnion<[Type.TString, Type.TNull]>> {
	const fields = Object.entries<Type.TString>(money(name, description))
	return Object.fromEntries(fields.map(([field, schema]) => [field, Nullable(schema)])) as Pair<
		Name,
		TUnion<[Type.TString, Type.TNull]>
	>
}
