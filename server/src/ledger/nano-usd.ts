const nanoPerUsd = 1_000_000_000n

/** Decimal text of integer nano-dollars, exact: `1234500000` is `1.2345`. */
export function toDecimalUsd(nanoUsd: bigint): string {
	const sign = nanoUsd < 0n ? '-' : ''
	const absolute = nanoUsd < 0n ? -nanoUsd : nanoUsd
	const fraction = String(absolute % nanoPerUsd)
		.padStart(9, '0')
		.replace(/0+$/, '')
	return `${sign}${absolute / nanoPerUsd}${fraction === '' ? '' : `.${fraction}`}`
}

type Money<Name extends string, Text> = Record<`${Name}_nano_usd` | `${Name}_usd`, Text>

/** An amount as every answer shows it: `cost_nano_usd`, and `cost_usd` beside it; both null where there is none. */
export function presentMoney<Name extends string>(name: Name, nanoUsd: bigint | string): Money<Name, string>
export function presentMoney<Name extends string>(
	name: Name,
	nanoUsd: bigint | string | null,
): Money<Name, string | null>
export function presentMoney(name: string, nanoUsd: bigint | string | null) {
	return {
		[`${name}_nano_usd`]: nanoUsd === null ? null : String(nanoUsd),
		[`${name}_usd`]: nanoUsd === null ? null : toDecimalUsd(BigInt(nanoUsd)),
	}
}
