#!/usr/bin/env node
// The command line is in the package toolwharf-gateway. This runs it where it is installed beside the library.
try {
  await import('toolwharf-gateway/dist/cli/main.js');
} catch (cause) {
  if (cause?.code !== 'ERR_MODULE_NOT_FOUND' || !cause.message.includes("'toolwharf-gateway'")) throw cause;
  const command = ['npx', 'toolwharf-gateway', ...process.argv.slice(2)].join(' ');
  console.error(`The toolwharf command is in the package toolwharf-gateway, which is not installed. Run: ${command}`);
  process.exitCode = 1;
}
