// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.root;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.egress.rule.MissingSecretException;
import dev.ramet.egress.rule.Placeholders;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.rule.Secret;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileTest {
  private static final String VALUE = "v4lue-of-a-s3cret";

  @TempDir private Path root;

  private static ErrorCode code(Runnable call) {
    RametException refused = assertThrows(RametException.class, call::run);
    StringWriter all = new StringWriter();
    refused.printStackTrace(new PrintWriter(all));
    assertFalse(all.toString().contains(VALUE), all.toString());
    return refused.code();
  }

  @Test
  void survivesAndIsForItsOwnerAlone() throws Exception {
    SecretFile secrets = new SecretFile(root);
    assertEquals(List.of(), secrets.list());
    Secret made = secrets.create("Open-AI.key_1", VALUE, Map.of("a", "b"));
    assertEquals("open-ai.key_1", made.name());
    Path file = root.resolve("secrets.json");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertArrayEquals(new String[] {"secrets.json"}, root.toFile().list());

    SecretFile next = new SecretFile(root);
    assertEquals(List.of(made), next.list());
    assertEquals(VALUE, next.value("OPEN-ai.key_1"));
    assertEquals(VALUE, next.value(made.id()));
    Secret changed = next.update(made.id(), "other", null);
    assertEquals(2, changed.version());
    assertEquals(Map.of("a", "b"), changed.metadata());
    assertEquals(Map.of(), next.update("open-ai.key_1", "more", Map.of()).metadata());
    assertEquals("more", new SecretFile(root).value("open-ai.key_1"));
    next.delete("open-ai.key_1");
    assertNull(new SecretFile(root).value("open-ai.key_1"));
    assertFalse(Files.readString(file).contains("more"));
  }

  @Test
  void refusesWhatCannotBeKept() {
    SecretFile secrets = new SecretFile(root);
    secrets.create("taken", VALUE, Map.of());
    assertEquals(ErrorCode.ALREADY_EXISTS, code(() -> secrets.create("TAKEN", VALUE, Map.of())));
    for (String name : List.of("", "a b", "a/b", "sec_x", "SEC_x", "ä", "a".repeat(65), "a{}")) {
      assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> secrets.create(name, VALUE, Map.of())));
    }
    for (String value :
        List.of("", VALUE + "\n", VALUE + "\r", VALUE + "\0", "ä", "a".repeat(8193))) {
      assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> secrets.create("a", value, Map.of())));
      assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> secrets.update("taken", value, null)));
    }
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 33; i++) {
      many.put("k" + i, "");
    }
    Map<String, String> large = new HashMap<>();
    for (int i = 0; i < 9; i++) {
      large.put("k" + i, "v".repeat(1024));
    }
    for (Map<String, String> metadata :
        List.of(
            many,
            large,
            Map.of("", "v"),
            Map.of("k".repeat(129), ""),
            Map.of("k", "ä".repeat(513)))) {
      assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> secrets.create("a", VALUE, metadata)));
    }
    assertEquals(ErrorCode.NOT_FOUND, code(() -> secrets.update("none", VALUE, null)));
    assertEquals(ErrorCode.NOT_FOUND, code(() -> secrets.delete("none")));
    assertEquals(1, new SecretFile(root).list().size());
    assertEquals(VALUE, secrets.value("taken"));
  }

  @Test
  void aFileThatIsNotUnderstoodIsLeftAloneAndTellsNothing() throws Exception {
    Path file = root.resolve("secrets.json");
    for (String broken :
        List.of(
            "",
            "null",
            "[]",
            "{}",
            "{\"format\":2,\"secrets\":[]}",
            "{\"format\":1,\"secrets\":[{\"value\":\"" + VALUE + "\"}]}",
            "{\"format\":1,\"secrets\":[{\"name\":\"a\",\"value\":\"" + VALUE)) {
      Files.writeString(file, broken);
      SecretFile secrets = new SecretFile(root);
      assertEquals(ErrorCode.CORRUPT, code(secrets::list), broken);
      assertEquals(ErrorCode.CORRUPT, code(() -> secrets.create("a", VALUE, Map.of())), broken);
      assertEquals(broken, Files.readString(file));
    }
  }

  @Test
  void referencesAreFilled() throws Exception {
    Map<String, String> values = Map.of("a", "1", "b-c", "${e2b.secrets.a}");
    assertEquals(
        "x 1 ${e2b.secrets.a}${OTHER}",
        Placeholders.substitute("x ${e2b.secrets.a} ${e2b.secrets.b-c}${OTHER}", values::get));
    assertEquals(
        "gone",
        assertThrows(
                MissingSecretException.class,
                () -> Placeholders.substitute("${e2b.secrets.gone}", values::get))
            .name());
  }

  @Test
  void theLongestRuleForAHostHolds() {
    RequestRules rules =
        RequestRules.parse(
            Map.of(
                "a.example.org",
                List.of(Map.of("X", "exact"), Map.of("x", "later", "Y", "y")),
                "*.example.org",
                List.of(Map.of("X", "below")),
                "*.b.example.org",
                List.of(Map.of("X", "longer")),
                "none.example.org",
                List.of(Map.of())));
    assertEquals(Map.of("x", "later", "Y", "y"), rules.headers("a.example.org"));
    assertEquals(Map.of("X", "below"), rules.headers("x.a.example.org"));
    assertEquals(Map.of("X", "longer"), rules.headers("x.y.b.example.org"));
    assertEquals(Map.of("X", "below"), rules.headers("b.example.org"));
    assertNull(rules.headers("example.org"));
    assertNull(rules.headers("example.com"));
    assertNull(rules.headers("none.example.org"), "nothing is put in");
    assertTrue(RequestRules.parse(null).isEmpty());
  }
}
