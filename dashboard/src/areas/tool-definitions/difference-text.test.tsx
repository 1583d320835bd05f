import { expect, test } from 'vitest'
import { compareLines, compareWords, type Piece, readable } from './difference-text.ts'

const was = (pieces: readonly Piece[]) =>
	pieces.filter(({ kind }) => kind !== 'added').map(({ text }) => text)
const is = (pieces: readonly Piece[]) =>
	pieces.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)

test('only the words that went and came are marked', () => {
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

test('texts that share next to nothing are not mixed word by word', () => {
	expect(compareWords('Reads the file at a path.', 'Sends mail to people.')).toBeNull()
})

test('both texts can be read back from the pieces, also when they are very long', () => {
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

test('what hides in a value is written out', () => {
	expect(readable('a\u200bb')).toBe('a\\u{200B}b')
	expect(readable({ a: '\u202e' })).toBe('{\n  "a": "\\u{202E}"\n}')
})
