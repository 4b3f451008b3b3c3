/** For `drizzle-kit generate`, which writes the migrations from the schema. It never meets a database. */
import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './storage/schema/*.ts',
  out: './storage/migrations',
})
