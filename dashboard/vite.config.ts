import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const notForms = /dashboard.src(?!.ui.(?:controls|tabs|dialog|confirm|field|name-fields)\.)/

/** The server replaces the nonce placeholder in the page at every answer, and puts its path before what is relative. */
export default defineConfig({
	base: './',
	plugins: [tanstackRouter({ target: 'react', autoCodeSplitting: true }), react(), tailwindcss()],
	html: { cspNonce: '__CSP_NONCE__' },
	build: {
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		// What nearly every screen uses is one file, and so is what the addresses of all screens are read by: forty small ones
		// compress badly. What only forms and dialogs use is a file of its own, because the first screen has neither.
		rolldownOptions: {
			output: {
				codeSplitting: {
					groups: [
						// By itself, or the file of the forms would take in what they share with the start of the page.
						{ name: 'react', test: /node_modules.(?:react|react-dom|scheduler|get-nonce)[\\/]/, priority: 1 },
						{ name: 'searches', test: /dashboard.src.areas.*-search\.ts$/ },
						{ name: 'shared', test: notForms, minShareCount: 12 },
						{ name: 'forms', test: /dashboard.src/, minShareCount: 12 },
					],
				},
			},
		},
	},
})
