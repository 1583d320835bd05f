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
