import type { Asked } from '@signalbox/contract'

/** The screen of Spotlight that shows what is asked, below `/ui`. */
export function spotlightPath({ read, range, filter, compare, sort }: Partial<Asked>): string {
	const isList = read !== undefined && read !== 'overview' && read !== 'timeseries'
	const search = {
		...(isList && { by: read }),
		...(range && { start: `-${range}` }),
		...(sort && sort !== 'calls' && { sort }),
		...(compare && { compare: 'true' }),
		...filter,
	}
	const fields = Object.entries(search).map(([name, value]) => [name, asText(String(value))])
	return `/spotlight?${new URLSearchParams(fields as [string, string][])}`
}

/** The dashboard reads what looks like JSON as that; such text stands in quotes. */
function asText(value: string): string {
	if (value === 'true') return value
	try {
		JSON.parse(value)
		return JSON.stringify(value)
	} catch {
		return value
	}
}
