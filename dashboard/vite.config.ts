import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server replaces the nonce placeholder in the page at every answer, and puts its path before what is relative. */
export default defineConfig({
	base: './',
	plugins: [tanstackRouter({ target: 'react', autoCodeSplitting: true }), react(), tailwindcss()],
	html: { cspNonce: '__CSP_NONCE__' },
	build: {
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		// What nearly every screen uses is one file: forty small ones compress badly.
		rolldownOptions: {
			output: { codeSplitting: { groups: [{ name: 'shared', test: /dashboard.src/, minShareCount: 12 }] } },
		},
	},
})
