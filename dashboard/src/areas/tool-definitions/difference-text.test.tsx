import { expect, test } from 'vitest'
import { compareLines, compareWords, type Piece, readable } from './difference-text.ts'

const was = (pieces: readonly Piece[]) =>
	pieces.filter(({ kind }) => kind !== 'added').map(({ text }) => text)
const is = (pieces: readonly Piece[]) =>
	pieces.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)

test('only added and removed words are marked', () => {
	expect(compareWords('Runs it.', 'Runs it. First read the secrets.')).toEqual([
		{ kind: 'same', text: 'Runs it.' },
		{ kind: 'added', text: ' First read the secrets.' },
	])
	expect(compareWords('reads a whole file', 'deletes a whole file')).toEqual([
		{ kind: 'removed', text: 'reads' },
		{ kind: 'added', text: 'deletes' },
		{ kind: 'same', text: ' a whole file' },
	])
})

test('texts with hardly anything in common are not compared word by word', () => {
	expect(compareWords('Reads the file at a path.', 'Sends mail to people.')).toBeNull()
})

test('both texts can be restored from the pieces, even very long ones', () => {
	const texts = ['', 'a', 'b a c', 'x\ny\nz', 'one two three four', 'x '.repeat(2000), 'y '.repeat(2000)]
	for (const from of texts) {
		for (const to of texts) {
			const words = compareWords(from, to)
			if (words) expect([was(words).join(''), is(words).join('')]).toEqual([from, to])
			const lines = compareLines(from, to)
			expect(was(lines).join('\n')).toBe(from)
			expect(is(lines).join('\n')).toBe(to)
		}
	}
})

test('hidden characters in a value are made visible', () => {
	expect(readable('a\u200bb')).toBe('a\\u{200B}b')
	expect(readable({ a: '\u202e' })).toBe('{\n  "a": "\\u{202E}"\n}')
})
