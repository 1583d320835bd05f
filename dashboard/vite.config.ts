import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server replaces the nonce placeholder in the page at every answer. */
export default defineConfig({
	base: '/ui/',
	plugins: [tanstackRouter({ target: 'react', autoCodeSplitting: true }), react(), tailwindcss()],
	html: { cspNonce: '__CSP_NONCE__' },
	build: { modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
})
