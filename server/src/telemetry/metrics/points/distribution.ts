/** Observations in the buckets of one or many data points. */
export interface Distribution {
	count: number
	sum: number
	min: number | null
	max: number | null
	/** Buckets with explicit bounds: each list of bounds has its counts, one more than bounds. */
	explicit: readonly { bounds: readonly number[]; counts: readonly number[] }[]
	exponential: Exponential | null
}

/** Bucket `i` of scale `s` holds `(b^i, b^(i+1)]` where `b` is `2^(2^-s)`; `negative` the same below zero. */
export interface Exponential {
	scale: number
	zero: number
	positive: ReadonlyMap<number, number>
	negative: ReadonlyMap<number, number>
}

/** Both together. Buckets of different scales are put into those of the coarser one. */
export function addDistributions(a: Distribution, b: Distribution): Distribution {
	return {
		count: a.count + b.count,
		sum: a.sum + b.sum,
		min: lesser(a.min, b.min),
		max: a.max === null ? b.max : b.max === null ? a.max : Math.max(a.max, b.max),
		explicit: [...a.explicit, ...b.explicit],
		exponential: combine(a.exponential, b.exponential, 1),
	}
}

function lesser(a: number | null, b: number | null): number | null {
	return a === null ? b : b === null ? a : Math.min(a, b)
}

/** What `later` has that `earlier` had not, of one histogram that grows; null when they have no buckets in common. */
export function subtractDistribution(later: Distribution, earlier: Distribution): Distribution | null {
	const [new_, old] = [later.explicit[0], earlier.explicit[0]]
	if (String(new_?.bounds) !== String(old?.bounds)) return null
	const counts = new_?.counts.map((count, at) => count - (old?.counts[at] ?? 0)) ?? []
	return {
		count: later.count - earlier.count,
		sum: later.sum - earlier.sum,
		// They are of the whole time of a histogram that grows, so nobody knows them of a part.
		min: null,
		max: null,
		explicit: new_ ? [{ bounds: new_.bounds, counts }] : [],
		exponential: combine(later.exponential, earlier.exponential, -1),
	}
}

function combine(a: Exponential | null, b: Exponential | null, sign: 1 | -1): Exponential | null {
	if (!a || !b) return a ?? b
	const scale = Math.min(a.scale, b.scale)
	const side = (name: 'positive' | 'negative') => {
		const sum = rescale(a[name], a.scale - scale)
		for (const [index, count] of rescale(b[name], b.scale - scale))
			sum.set(index, (sum.get(index) ?? 0) + sign * count)
		return sum
	}
	return { scale, zero: a.zero + sign * b.zero, positive: side('positive'), negative: side('negative') }
}

/** Each step of the scale puts two buckets into one. */
function rescale(buckets: ReadonlyMap<number, number>, steps: number): Map<number, number> {
	const coarser = new Map<number, number>()
	for (const [index, count] of buckets) {
		const at = Math.floor(index / 2 ** steps)
		coarser.set(at, (coarser.get(at) ?? 0) + count)
	}
	return coarser
}

interface Bucket {
	from: number
	to: number
	count: number
}

/**
 * The value below which `q` (0 to 1) of the observations lie, taking them as evenly spread inside a bucket; null when there
 * are none. Never beyond `min` and `max`, where they are known.
 */
export function quantileOf(distribution: Distribution, q: number): number | null {
	const buckets = bucketsOf(distribution).sort((a, b) => a.to - b.to || a.from - b.from)
	const total = buckets.reduce((sum, { count }) => sum + count, 0)
	if (total === 0) return null
	let left = q * total
	const bucket = buckets.find(({ count }) => {
		if (left <= count) return true
		left -= count
		return false
	}) as Bucket
	const value = bucket.from + (bucket.to - bucket.from) * Math.max(0, left / bucket.count)
	return Math.min(Math.max(value, distribution.min ?? value), distribution.max ?? value)
}

function bucketsOf({ explicit, exponential, min, max }: Distribution): Bucket[] {
	const lists = explicit.map(({ bounds, counts }) =>
		counts.map((count, at) => {
			// The outermost have no bound of their own.
			const from = bounds[at - 1] ?? min ?? Math.min(0, bounds[0] ?? 0)
			return { from, to: bounds[at] ?? max ?? from, count }
		}),
	)
	return [...lists.flat(), ...exponentialBuckets(exponential)].filter(({ count }) => count > 0)
}

function exponentialBuckets(exponential: Exponential | null): Bucket[] {
	if (!exponential) return []
	const bound = (index: number) => 2 ** (index * 2 ** -exponential.scale)
	const positive = Array.from(exponential.positive, ([at, count]) => ({
		from: bound(at),
		to: bound(at + 1),
		count,
	}))
	const negative = Array.from(exponential.negative, ([at, count]) => ({
		from: -bound(at + 1),
		to: -bound(at),
		count,
	}))
	return [...negative, { from: 0, to: 0, count: exponential.zero }, ...positive]
}
