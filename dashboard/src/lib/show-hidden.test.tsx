import { expect, test } from 'vitest'
import { showDirections, showHidden } from './show-hidden.ts'

test('hidden characters are made visible, and visible ones are unchanged', () => {
	expect(showHidden('a\u200bb')).toBe('a\\u{200B}b')
	expect(showHidden('\u202eevil')).toBe('\\u{202E}evil')
	expect(showHidden('tag \u{e0041}')).toBe('tag \\u{E0041}')
	expect(showHidden('größe → 日本\n\tend')).toBe('größe → 日本\n\tend')
})

test('a name cannot pass for another one by changing the direction of text; emoji and scripts stay', () => {
	expect(showDirections('gpj\u202e.exe')).toBe('gpj\\u{202E}.exe')
	expect(showDirections('\u2066a\u2069')).toBe('\\u{2066}a\\u{2069}')
	expect(showDirections('👩‍💻 می‌خواهم')).toBe('👩‍💻 می‌خواهم')
})
