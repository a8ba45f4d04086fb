import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

class Loop {
  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    var next = Pattern.compile("\"hasNextPage\":true.*\"endCursor\":\"([^\"]+)\"");
    for (var after = ""; after != null; ) {
      var request = HttpRequest.newBuilder(URI.create(args[0] + args[1] + after)).build();
      var response = client.send(request, BodyHandlers.ofString());
      if (response.statusCode() != 200) throw new Exception(response.body());
      System.out.println(response.body());
      var end = next.matcher(response.body());
      after = end.find() ? "&pagination.after=" + URLEncoder.encode(end.group(1), UTF_8) : null;
    }
  }
}
