import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const notForms = /dashboard.src(?!.ui.(?:controls|tabs|dialog|confirm|field|name-fields)\.)/

/** In each page that it sends, the server replaces the nonce placeholder and puts its base path before relative addresses. */
export default defineConfig({
	base: './',
	plugins: [tanstackRouter({ target: 'react', autoCodeSplitting: true }), react(), tailwindcss()],
	html: { cspNonce: '__CSP_NONCE__' },
	build: {
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		// Code that nearly all screens share is one file, and so are the parsers of their search parameters, because forty small files
		// compress badly. Code that only forms and dialogs use is a separate file, because the first screen has neither.
		rolldownOptions: {
			output: {
				codeSplitting: {
					groups: [
						// Separate, because otherwise the file of the forms would contain what the first screen needs too.
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
