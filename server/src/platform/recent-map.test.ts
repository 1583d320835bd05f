import { expect, it } from 'vitest'
import { RecentMap } from './recent-map.ts'

it('always holds the most recent half, and never more than the maximum', () => {
	const map = new RecentMap<number, number>(100)
	const wrong: string[] = []
	for (let key = 0; key < 10_000; key += 1) {
		map.set(key, -key)
		for (let back = 0; back < Math.min(50, key + 1); back += 1)
			if (map.get(key - back) !== -(key - back)) wrong.push(`${key - back} is gone at ${key}`)
		if (map.has(key - 100)) wrong.push(`${key - 100} is still there at ${key}`)
	}
	// Half a million `expect` calls would take a hundred times as long as the checked code.
	expect(wrong).toEqual([])
	map.clear()
	expect(map.has(9999)).toBe(false)
})

it('keeps an entry that is set again, with its last value', () => {
	const map = new RecentMap<string, number | null>(10)
	for (let at = 0; at < 100; at += 1) {
		map.set('again', at)
		map.set(`other ${at}`, at)
		expect(map.get('again')).toBe(at)
	}
	map.set('again', null)
	expect(map.get('again')).toBeNull()
})
