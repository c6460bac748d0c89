// Asking the server.

const byId = (id) => document.getElementById(id);

export async function ask(path, { body, signal } = {}) {
  const headers = { "Content-Type": "application/json" };
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  for (let attempt = 1; ; attempt++) {
    let answer;
    try {
      const method = body ? "POST" : "GET";
      answer = await fetch(`v1/${path}`, { method, headers, body: body && JSON.stringify(body), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("The server does not answer. Is it still running?");
    }
    if (answer.ok) return answer.json();
    if (answer.status === 503 && attempt < 4) {
      await pause(Number(answer.headers.get("Retry-After")) || 1, signal);
      continue;
    }
    if (answer.status === 401) byId("entry").hidden = false;
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error ?? `The server answered with status ${answer.status}.`);
  }
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * Math.min(seconds, 30));
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); });
  });
}

// Let the reader give the token of the server, then go on.
export function askForToken(start) {
  byId("entry").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem("token", byId("token").value);
    byId("entry").hidden = true;
    start();
  });
}
