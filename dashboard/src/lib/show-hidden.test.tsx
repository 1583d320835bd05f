import { expect, test } from 'vitest'
import { showHidden } from './show-hidden.ts'

test('hidden characters are made visible, and visible ones are unchanged', () => {
	expect(showHidden('a\u200bb')).toBe('a\\u{200B}b')
	expect(showHidden('\u202eevil')).toBe('\\u{202E}evil')
	expect(showHidden('tag \u{e0041}')).toBe('tag \\u{E0041}')
	expect(showHidden('größe → 日本\n\tend')).toBe('größe → 日本\n\tend')
})
